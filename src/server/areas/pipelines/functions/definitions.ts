import type { Querier } from '#lib/db/db.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { gather } from '#lib/work/gather.ts'
import { type CheckedSchema, checkSchema } from './schema/check-schema.ts'
import { type CallableFunction, type FunctionLookup, findFunctions } from './store.ts'

const MAX_CACHED = 1_000

export type Definitions = {
  find(lookup: FunctionLookup): Promise<CallableFunction | undefined>
  /** Returns the function as it was when it was last found. Its version tells whether it is still the same. */
  lastFound(lookup: FunctionLookup): CallableFunction | undefined
  schemaOf(definition: CallableFunction): CheckedSchema
}

/** Finds functions. Lookups that arrive together share a statement. */
export function createDefinitions(db: Querier): Definitions {
  const find = gather((lookups: readonly FunctionLookup[]) => findFunctions(db, lookups))
  const found = createBoundedCache<string, CallableFunction>({ max: MAX_CACHED })
  /** By their text, because compiling their patterns costs more than a call. */
  const schemas = createBoundedCache<string, CheckedSchema>({ max: MAX_CACHED })
  return {
    async find(lookup) {
      const definition = await find(lookup)
      if (definition) found.set(keyOf(lookup), definition)
      else found.delete(keyOf(lookup))
      return definition
    },
    lastFound: (lookup) => found.get(keyOf(lookup)),
    schemaOf: ({ input_schema }) => schemas.getOrMake(input_schema, () => compile(input_schema)),
  }
}

function keyOf({ appId, name }: FunctionLookup): string {
  return `${appId} ${name}`
}

function compile(text: string): CheckedSchema {
  const checked = checkSchema(JSON.parse(text))
  if (!('root' in checked)) throw new Error(`a registered schema is not valid: ${checked.path} ${checked.message}`)
  return checked
}
