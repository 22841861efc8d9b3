import type { FunctionDefinition, PipelineDefinition } from '#contract/workers.ts'
import type { CallContext, FunctionOptions, JsonSchema, PipelineOptions, StandardSchema } from './api.ts'

/** Runs one call. Throws with the message that its caller sees. */
export type RunCall = (input: Record<string, unknown>, context: CallContext) => unknown

export type Served = {
  readonly functions: Map<string, { readonly definition: FunctionDefinition; readonly run: RunCall }>
  readonly pipelines: Map<string, { readonly definition: PipelineDefinition; readonly run: RunCall }>
}

export function addFunction<Input>(
  served: Served,
  name: string,
  { description = '', input = { type: 'object' }, timeoutSeconds = 30, repeatable = false }: FunctionOptions<Input>,
  run: (input: Input, context: CallContext) => unknown,
): void {
  if (served.functions.has(name)) throw new Error(`The function ${name} is registered twice.`)
  const check = isStandard(input) ? input : undefined
  const input_schema = check ? toJsonSchema(check) : { ...(input as JsonSchema) }
  served.functions.set(name, {
    definition: { name, description, input_schema, timeout_seconds: timeoutSeconds, repeatable },
    run: async (sent, context) => run(check ? await checked(check, sent) : (sent as Input), context),
  })
}

export function addPipeline(
  served: Served,
  name: string,
  options: PipelineOptions,
  run: (context: CallContext) => unknown,
): void {
  if (served.pipelines.has(name)) throw new Error(`The pipeline ${name} is registered twice.`)
  const { description = '', schedule = null, timezone = 'UTC', concurrency = 'skip', timeoutSeconds = 3600 } = options
  served.pipelines.set(name, {
    definition: { name, description, schedule, timezone, concurrency, timeout_seconds: timeoutSeconds },
    run: (_, context) => run(context),
  })
}

function isStandard<Input>(input: JsonSchema | StandardSchema<Input>): input is StandardSchema<Input> {
  return '~standard' in input
}

function toJsonSchema(schema: StandardSchema): Record<string, unknown> {
  const convert = schema['~standard'].jsonSchema?.input
  if (!convert) {
    throw new Error('This validator cannot be written as a JSON schema. Use zod 4.2 or later, or give a JSON schema.')
  }
  return withoutFormatPatterns(convert({ target: 'draft-2020-12' })) as Record<string, unknown>
}

/**
 * Leaves out the pattern of a text that has a format. Zod writes such patterns for emails and the like; they use
 * look-ahead, which the server does not accept, and the worker checks the arguments with zod itself anyway.
 */
function withoutFormatPatterns(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutFormatPatterns)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([key]) => !(key === 'pattern' && 'format' in node))
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutFormatPatterns(value)]))
}

async function checked<Input>(schema: StandardSchema<Input>, value: unknown): Promise<Input> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const faults = result.issues.slice(0, 3).map(({ path, message }) => [...(path ?? []).map(keyOf), message].join(': '))
  throw new Error(`The arguments do not fit: ${faults.join('; ')}`)
}

function keyOf(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part)
}
