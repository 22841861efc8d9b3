import { z } from 'zod'

/** Access to an app's parts by developers of the organization and by people who build the app. */
export const byBuilder = {
  principals: ['user', 'api_token'],
  role: 'developer',
  part: 'builder',
  scope: null,
  org: 'token',
} as const

/** Access by admins of the organization and by the app's administrators. */
export const byAppAdministrator = { ...byBuilder, role: 'admin', part: 'administrator' } as const

/** An alias is a part of the app's address, which joins it with the organization's slug by `--`. */
export const Alias = z
  .string()
  .max(30, 'must have at most 30 characters')
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'must begin with a lower-case letter and contain lower-case letters, digits and single hyphens between them',
  )
  .refine((alias) => alias !== 'xn', 'must not be xn, because names that begin with xn-- are encoded ones')
  .describe('Name of the app in commands and addresses')
