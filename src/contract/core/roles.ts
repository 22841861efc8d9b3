import { z } from 'zod'

/** Roles in ascending order. Each role may do everything that the roles before it may do. */
export const ROLES = ['viewer', 'member', 'developer', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]
export const Role = z.enum(ROLES)

export function roleAtLeast(role: Role, minimum: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minimum)
}

/** Parts that a person can have in one app, in ascending order, independent of the role in the organization. */
const APP_PARTS = ['builder', 'maintainer', 'administrator'] as const
export type AppPart = (typeof APP_PARTS)[number]
export const AppPart = z.enum(APP_PARTS)

/** Returns the part and those above it, which may do everything that it may do. */
export function partsFrom(part: AppPart): readonly AppPart[] {
  return APP_PARTS.slice(APP_PARTS.indexOf(part))
}

/** Scopes of connected agents. A person grants them on the consent page. */
const SCOPES = [
  'datasources:read',
  'datasources:query',
  'functions:call',
  'notifications:read',
  'notifications:ack',
] as const
export type Scope = (typeof SCOPES)[number]
export const Scope = z.enum(SCOPES)
