import { z } from 'zod'

/** Facts about the person who asks that row-level security can go by. Each is verified by svc and never sent by the caller. */
export const PersonClaim = z.enum(['email', 'user_id', 'role'])
export type PersonClaim = z.infer<typeof PersonClaim>

/** By the name of the setting that policies read, such as `app.email`. */
export const PersonSettings = z.record(z.string(), PersonClaim)
export type PersonSettings = z.infer<typeof PersonSettings>

export const MAX_PERSON_SETTINGS = 10
