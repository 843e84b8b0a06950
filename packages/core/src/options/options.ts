import { z } from 'zod';

/** What a field may say of itself in `.meta({...})`, beside its description. */
const settingMeta = z.object({
  /** Environment name; without it, made of the prefix and the field's name. */
  env: z.string().optional(),
  /** False for what must not stand in a process list. */
  flag: z.literal(false).optional(),
  /** What stands for the value in the help: `FILE`. */
  placeholder: z.string().optional(),
  /** What the help and the README show for a default that depends on the machine. */
  defaultText: z.string().optional(),
  description: z.string().optional(),
});

/** One setting as every face of the options shows it: flag, environment, help and README. */
export interface Setting {
  readonly key: string;
  /** Without its dashes; undefined where the environment is the only way. */
  readonly flag: string | undefined;
  readonly env: string;
  /** Undefined for a switch, which takes no value. */
  readonly placeholder: string | undefined;
  readonly description: string;
  readonly default: unknown;
}

/** The settings of a program as one Zod object, and as a table. */
export interface Options<Schema extends z.ZodObject = z.ZodObject> {
  readonly schema: Schema;
  readonly settings: readonly Setting[];
}

/** @param prefix of the environment names: `TODO` makes `TODO_USER_ID` of `userId` */
export function defineOptions<Shape extends z.ZodRawShape>(
  prefix: string,
  shape: Shape,
): Options<z.ZodObject<Shape>> {
  return {
    schema: z.object(shape),
    settings: Object.entries(shape).map(([key, field]) => settingOf(prefix, key, field)),
  };
}

function settingOf(prefix: string, key: string, field: z.core.$ZodType): Setting {
  const { env, flag, placeholder, defaultText, description } = settingMeta.parse(
    z.globalRegistry.get(field) ?? {},
  );
  const snake = key.replaceAll(/[A-Z]/g, (capital) => `_${capital}`);
  return {
    key,
    flag: flag === false ? undefined : snake.replaceAll('_', '-').toLowerCase(),
    env: env ?? `${prefix}_${snake.toUpperCase()}`,
    placeholder: isSwitch(field) ? undefined : (placeholder ?? 'VALUE'),
    description: description ?? '',
    default: defaultText ?? z.safeParse(field, undefined).data,
  };
}

function isSwitch(field: z.core.$ZodType): boolean {
  return z.safeParse(field, true).success && !z.safeParse(field, '1').success;
}
