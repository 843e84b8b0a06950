import { isObject } from '@deskside/core/base';

/** Deeper schemas, and those that contain themselves, are only in the fields. */
const MAX_DEPTH = 5;

/** The parameters of a JSON Schema for a person: `order.id: string — The number`, also of what is inside of others. */
export function parametersOf(given: unknown, root = given, path = '', depth = 0): readonly string[] {
  const schema = resolved(given, root);
  if (depth > MAX_DEPTH) return [];
  const members = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const named = members.flatMap(([name, child]) => {
    const about = [child, resolved(child, root)].flatMap((each) =>
      isObject(each) && typeof each['description'] === 'string' ? [each['description'].trim()] : [],
    );
    const text = about[0] === undefined || about[0] === '' ? '' : ` — ${about[0].replaceAll(/\s+/g, ' ')}`;
    const at = `${path}${name}`;
    return [`${at}: ${typeOf(child, root)}${text}`, ...parametersOf(child, root, `${at}.`, depth + 1)];
  });
  const inside = [schema['items'], ...optionsOf(schema), schema['allOf']].flat();
  return [...named, ...inside.flatMap((child) => parametersOf(child, root, path, depth + 1))];
}

function optionsOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [schema['anyOf'], schema['oneOf']].flatMap((each) => (Array.isArray(each) ? each : []));
}

/** What a local reference stands for. */
function resolved(schema: unknown, root: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(schema)) return {};
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const steps = $ref.split('/').slice(1);
  const found = steps.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
  return isObject(found) ? found : {};
}

function typeOf(given: unknown, root: unknown): string {
  const schema = resolved(given, root);
  const { type = 'anything', enum: values, items } = schema;
  const options = optionsOf(schema);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (options.length > 0) return [...new Set(options.map((each) => typeOf(each, root)))].join(' | ');
  return type === 'array' ? `list of ${typeOf(items, root)}` : [type].flat().join(' | ');
}
