// The package finds its module by itself.

import { offer } from './play.js';

offer();
