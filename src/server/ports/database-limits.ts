/** Limits of one organization's managed databases, and what the platform keeps for itself on each server. */
export type OrgLimits = {
  readonly databases: number
  /** Connections of the owners of all its databases on one server together. */
  readonly connections: number
  /** Connections of each server that no single organization can take. */
  readonly reservedConnections: number
}

/**
 * A stock Postgres has 100 connections, 3 of them for superusers. One process of svc uses up to 11 and some to manage
 * databases; 30 are enough for two during an upgrade. Of the rest one organization gets at most 40.
 */
export const DEFAULT_ORG_LIMITS: OrgLimits = { databases: 20, connections: 40, reservedConnections: 30 }

/** Below this a pool of the owner's and a change by svc itself could not connect at the same time. */
export const MIN_OWNER_CONNECTIONS = 2
