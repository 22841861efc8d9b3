import { ServiceError } from '#contract/core/errors.ts'

/** Returns the text for people about an error: what went wrong and, where the code is known, what to do. */
export function explain(error: unknown): string {
  if (!(error instanceof ServiceError))
    return 'This page does not understand the answer of the service. Reload the page; it may have been upgraded.'
  const faults = error.errors?.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)) ?? []
  return [error.message, ...faults].join(' ')
}

/** Returns the fault of one field of the input, if the error names it. */
export function faultOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ServiceError)) return undefined
  return error.errors?.find(({ path }) => path === field)?.message
}
