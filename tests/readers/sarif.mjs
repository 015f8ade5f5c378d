// Validates a SARIF file against the schema of its format, as Microsoft ships it. Argument: the file. Prints the errors and the number of
// results.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const ofSchema = createRequire(require.resolve('@microsoft/jest-sarif'));
const Ajv = ofSchema('ajv');
const schema = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const log = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const checker = new Ajv({ schemaId: 'auto', meta: false, allErrors: true, format: 'full', logger: false });
checker.addMetaSchema(ofSchema('ajv/lib/refs/json-schema-draft-04.json'));
const validate = checker.compile(schema);
validate(log);
process.stdout.write(JSON.stringify({ errors: validate.errors ?? [], results: log.runs[0].results.length }));
