import { ServiceError } from '#contract/core/errors.ts'
import type { FunctionDefinition } from '#contract/workers.ts'
import { checkSchema } from './schema/check-schema.ts'

/** Throws INVALID_REQUEST for a function whose schema cannot be used. */
export function checkFunctions(functions: readonly FunctionDefinition[]): void {
  for (const [i, { input_schema }] of functions.entries()) {
    const checked = checkSchema(input_schema)
    if ('root' in checked) continue
    const path = ['functions', i, 'input_schema', checked.path].filter((part) => part !== '').join('.')
    const { message } = checked
    throw new ServiceError('INVALID_REQUEST', `${path}: ${message}`, { errors: [{ path, message }] })
  }
}
