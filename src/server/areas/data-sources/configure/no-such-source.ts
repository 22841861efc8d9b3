import { ServiceError } from '#contract/core/errors.ts'

/**
 * For people who manage sources. The same for every id, so that it does not tell which sources other organizations have.
 * Those who ask a question get a shorter one, which is the same for sources that they cannot see.
 */
export function noSuchSource(): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    'No such data source. A database becomes one when an admin or owner switches it on: svc datasource enable <database>',
  )
}
