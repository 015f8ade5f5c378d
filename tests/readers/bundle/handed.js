// The module is an asset that the bundler hands over: its address or its bytes.

import wasm from 'posepress/posepress-full-simd.wasm';
import { offer } from './play.js';

offer({ wasm });
