// Reads {schema, documents: [{name, document}]} and writes {name: [what an editor would mark]}. ajv's strict mode refuses a
// schema with a keyword that it does not know or that has no effect.
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";

const { schema, documents } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
const validate = ajv.compile(schema);

const marked = {};
for (const { name, document } of documents) {
  validate(document);
  marked[name] = (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
}
process.stdout.write(JSON.stringify(marked));
