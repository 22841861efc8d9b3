import { adminCreateOrg, adminCreateToken, createOrg, validateToken } from './auth.ts'
import { consoleAsset, consolePage } from './console.ts'
import { listSlimSources } from './data-sources.ts'
import { platformMcp } from './mcp.ts'
import type { Operation } from './operation.ts'
import { docs, health, metrics, openapi, ready } from './system.ts'

/** All there is. OpenAPI and the role table are made from this list, and nothing outside it is mounted. */
export const OPERATIONS: readonly Operation[] = [
  validateToken,
  createOrg,
  adminCreateOrg,
  adminCreateToken,
  listSlimSources,
  platformMcp,
  consolePage,
  consoleAsset,
  health,
  ready,
  metrics,
  openapi,
  docs,
]
