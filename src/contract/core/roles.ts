import { z } from 'zod'

/** Weakest first: a role may do everything the ones before it may. */
export const ROLES = ['viewer', 'member', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]
export const Role = z.enum(ROLES)

export function roleAtLeast(role: Role, minimum: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minimum)
}

/** What a person can be in one app, whatever their role in the organization. */
const APP_PARTS = ['builder', 'maintainer', 'administrator'] as const
export type AppPart = (typeof APP_PARTS)[number]

/** What a connected agent can be allowed, each granted by the person on the consent page. */
const SCOPES = [
  'datasources:read',
  'datasources:query',
  'functions:call',
  'notifications:read',
  'notifications:ack',
] as const
export type Scope = (typeof SCOPES)[number]
export const Scope = z.enum(SCOPES)
