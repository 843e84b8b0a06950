/** Deeper schemas, and those that contain themselves, are only in the fields. */
const MAX_DEPTH = 5;

type Schema = Readonly<Record<string, unknown>>;

/** The parameters of a JSON Schema for a person: `order.id: string — The number`, also of what is inside of others. */
export function parametersOf(given: unknown, root = given, path = '', depth = 0): readonly string[] {
  const schema = resolved(given, root);
  if (depth > MAX_DEPTH) return [];
  const named = Object.entries(schemaOf(schema['properties'])).flatMap(([name, child]) => {
    const own = `${path}${name}: ${typeOf(child, root)}${aboutOf(child, root)}`;
    return [own].concat(parametersOf(child, root, `${path}${name}.`, depth + 1));
  });
  const inside = [schema['items'], ...optionsOf(schema), schema['allOf']].flat();
  return [...named, ...inside.flatMap((child) => parametersOf(child, root, path, depth + 1))];
}

function schemaOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** What a local reference stands for. */
function resolved(given: unknown, root: unknown): Schema {
  const { $ref, ...schema } = schemaOf(given);
  if (typeof $ref !== 'string') return schema;
  const steps = $ref.split('/').slice(1);
  return { ...steps.reduce((at, name) => schemaOf(at[name]), schemaOf(root)), ...schema };
}

function optionsOf({ anyOf, oneOf }: Schema): readonly unknown[] {
  return [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []));
}

function typeOf(given: unknown, root: unknown): string {
  const schema = resolved(given, root);
  const { type = 'anything', enum: values, items } = schema;
  const options = optionsOf(schema);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (options.length > 0) return [...new Set(options.map((each) => typeOf(each, root)))].join(' | ');
  return type === 'array' ? `list of ${typeOf(items, root)}` : [type].flat().join(' | ');
}

function aboutOf(given: unknown, root: unknown): string {
  const { description } = resolved(given, root);
  return typeof description === 'string' ? ` — ${description.trim().replaceAll(/\s+/g, ' ')}` : '';
}
