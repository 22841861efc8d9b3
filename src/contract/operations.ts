import { listActivity, setQuota } from './activity.ts'
import { createEmbeddings, listModels } from './ai.ts'
import { adminCreateOrg, adminCreateToken, createOrg, validateToken } from './auth.ts'
import { consoleAsset, consolePage } from './console.ts'
import { exposeSource, listSlimSources, listSources, querySource, switchSource } from './data-sources.ts'
import { createDatabase, dropDatabase, listDatabases, readConnection } from './databases.ts'
import { platformMcp } from './mcp.ts'
import {
  acceptInvitation,
  changeRole,
  createInvitation,
  listAudit,
  listInvitations,
  listMembers,
  listOrgs,
  me,
  removeMember,
  revokeInvitation,
  setDomains,
} from './members.ts'
import type { Operation } from './operation.ts'
import { configureSource } from './search-config.ts'
import {
  exchangeCode,
  hostedCallback,
  localPage,
  localSignIn,
  sessionToken,
  signInCallback,
  signInPage,
  signInStart,
  signOut,
  switchOrg,
} from './sign-in.ts'
import { adminListAudit, adminSetDomains, elevateSupport, endSupport, listSupport, startSupport } from './support.ts'
import { docs, health, metrics, openapi, ready } from './system.ts'
import { createToken, listTokens, revokeToken } from './tokens.ts'

/** All there is. OpenAPI and the role table are made from this list, and nothing outside it is mounted. */
export const OPERATIONS: readonly Operation[] = [
  validateToken,
  createOrg,
  adminCreateOrg,
  adminCreateToken,
  adminSetDomains,
  adminListAudit,
  startSupport,
  elevateSupport,
  endSupport,
  me,
  listOrgs,
  listTokens,
  createToken,
  revokeToken,
  listMembers,
  changeRole,
  removeMember,
  createInvitation,
  listInvitations,
  revokeInvitation,
  acceptInvitation,
  setDomains,
  listAudit,
  listSupport,
  listSlimSources,
  querySource,
  listSources,
  switchSource,
  exposeSource,
  configureSource,
  createDatabase,
  listDatabases,
  readConnection,
  dropDatabase,
  listActivity,
  setQuota,
  listModels,
  createEmbeddings,
  signInPage,
  signInStart,
  signInCallback,
  signOut,
  localPage,
  localSignIn,
  switchOrg,
  sessionToken,
  exchangeCode,
  hostedCallback,
  platformMcp,
  consolePage,
  consoleAsset,
  health,
  ready,
  metrics,
  openapi,
  docs,
]
