import { listActivity, setQuota } from './activity.ts'
import { createEmbeddings, listModels } from './ai.ts'
import { changeApp, createApp, deleteApp, listApps, readApp } from './apps/apps.ts'
import { followDeploy, listDeploys, readDeploy, rollBack, startDeploy } from './apps/deploys.ts'
import { changeEnvironment, readEnvironment } from './apps/environment.ts'
import { ingestLogs, ingestOtlp, searchLogs, tailLogs } from './apps/logs.ts'
import { listAppPeople, removeAppPerson, setAppPerson } from './apps/people.ts'
import {
  createRevision,
  diffRevisions,
  findMissingFiles,
  listRevisions,
  readRevision,
  readRevisionFile,
  uploadFiles,
  uploadRevision,
} from './apps/revisions.ts'
import { disconnectAgent, listAgents, listOrgAgents, revokeAgent } from './auth/agents.ts'
import { adminCreateOrg, adminCreateToken, createOrg, validateToken } from './auth/auth.ts'
import { acceptInvitationForm, invitationPage } from './auth/invitation-page.ts'
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
  resendInvitation,
  revokeInvitation,
  setDomains,
} from './auth/members.ts'
import {
  consentDecision,
  consentPage,
  oauthAuthorize,
  oauthMetadata,
  oauthRegister,
  oauthResume,
  oauthRevoke,
  oauthToken,
} from './auth/oauth.ts'
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
} from './auth/sign-in.ts'
import {
  adminListAudit,
  adminSetDomains,
  elevateSupport,
  endSupport,
  listSupport,
  startSupport,
} from './auth/support.ts'
import { createToken, listTokens, revokeToken } from './auth/tokens.ts'
import { consoleAsset, consolePage } from './console.ts'
import type { Operation } from './core/operation.ts'
import { configureSource, getSource } from './data-sources/search-config.ts'
import { exposeSource, listSlimSources, listSources, querySource, switchSource } from './data-sources/sources.ts'
import { createDatabase, dropDatabase, listDatabases, readConnection } from './databases.ts'
import { callFunction, listFunctions } from './functions.ts'
import { listMaintenanceRuns, readMaintenance, readMaintenanceRun } from './maintenance/runs.ts'
import { changeAppMaintenance, changeOrgMaintenance, readOrgMaintenance } from './maintenance/settings.ts'
import { endpointMetadata, notificationsMcp, platformMcp, platformMetadata } from './mcp.ts'
import { listChannels } from './notifications/channels.ts'
import { chatCallback, connectChat, disconnectChat, readChat, startChatInstallation } from './notifications/chat.ts'
import { deleteChatLink, readChatLink, startChatLink } from './notifications/chat-link.ts'
import { listDeliveries, readDelivery, resendDelivery } from './notifications/deliveries.ts'
import { addEmail, confirmEmail, confirmEmailPage, deleteEmail } from './notifications/email.ts'
import { listFollows, setFollow } from './notifications/follows.ts'
import { configureForum, connectForum, disconnectForum } from './notifications/forum.ts'
import { ackNotification, listInbox } from './notifications/inbox.ts'
import { mailboxPage } from './notifications/mailbox.ts'
import { changeNotificationSettings, readNotificationSettings } from './notifications/settings.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
} from './notifications/subscriptions.ts'
import { testChannel } from './notifications/test-channel.ts'
import { unsubscribe, unsubscribePage } from './notifications/unsubscribe.ts'
import { changeWebhook, createWebhook, deleteWebhook } from './notifications/webhooks.ts'
import {
  changePipeline,
  deletePipeline,
  listPipelineRuns,
  listPipelines,
  readPipeline,
  readPipelineRun,
  readPipelineRunLog,
  runPipeline,
} from './pipelines.ts'
import { skillArchive, skillEntry, skillIndex, skillReference } from './skills.ts'
import { docs, health, metrics, openapi, ready } from './system.ts'
import { fileTicket, listReplies, listTickets, moveTicket, readTicket, replyToTicket } from './tickets.ts'
import { connectWorker, reportLogs, reportResults, workerHeartbeat } from './workers.ts'

/** All operations. OpenAPI and the role table are generated from this list, and only these operations are mounted. */
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
  resendInvitation,
  revokeInvitation,
  acceptInvitation,
  setDomains,
  listAudit,
  listSupport,
  listAgents,
  disconnectAgent,
  listOrgAgents,
  revokeAgent,
  oauthMetadata,
  oauthRegister,
  oauthAuthorize,
  oauthResume,
  consentPage,
  consentDecision,
  oauthToken,
  oauthRevoke,
  listSlimSources,
  querySource,
  listSources,
  switchSource,
  exposeSource,
  getSource,
  configureSource,
  createDatabase,
  listDatabases,
  readConnection,
  dropDatabase,
  listActivity,
  setQuota,
  listModels,
  createEmbeddings,
  listInbox,
  ackNotification,
  listFollows,
  setFollow,
  listChannels,
  testChannel,
  createWebhook,
  changeWebhook,
  deleteWebhook,
  readChat,
  connectChat,
  disconnectChat,
  startChatInstallation,
  chatCallback,
  readChatLink,
  startChatLink,
  deleteChatLink,
  connectForum,
  configureForum,
  disconnectForum,
  addEmail,
  deleteEmail,
  confirmEmailPage,
  confirmEmail,
  listSubscriptions,
  createSubscription,
  changeSubscription,
  deleteSubscription,
  unsubscribePage,
  unsubscribe,
  mailboxPage,
  readNotificationSettings,
  changeNotificationSettings,
  listDeliveries,
  readDelivery,
  resendDelivery,
  createApp,
  listApps,
  readApp,
  changeApp,
  deleteApp,
  listAppPeople,
  setAppPerson,
  removeAppPerson,
  readEnvironment,
  changeEnvironment,
  findMissingFiles,
  uploadFiles,
  createRevision,
  uploadRevision,
  listRevisions,
  readRevision,
  readRevisionFile,
  diffRevisions,
  startDeploy,
  rollBack,
  listDeploys,
  readDeploy,
  followDeploy,
  searchLogs,
  tailLogs,
  ingestLogs,
  ingestOtlp,
  fileTicket,
  listTickets,
  readTicket,
  moveTicket,
  replyToTicket,
  listReplies,
  readOrgMaintenance,
  changeOrgMaintenance,
  changeAppMaintenance,
  readMaintenance,
  listMaintenanceRuns,
  readMaintenanceRun,
  listFunctions,
  callFunction,
  connectWorker,
  reportResults,
  workerHeartbeat,
  reportLogs,
  listPipelines,
  readPipeline,
  changePipeline,
  deletePipeline,
  runPipeline,
  listPipelineRuns,
  readPipelineRun,
  readPipelineRunLog,
  signInPage,
  signInStart,
  signInCallback,
  signOut,
  localPage,
  localSignIn,
  invitationPage,
  acceptInvitationForm,
  switchOrg,
  sessionToken,
  exchangeCode,
  hostedCallback,
  platformMcp,
  notificationsMcp,
  platformMetadata,
  endpointMetadata,
  consolePage,
  consoleAsset,
  skillIndex,
  skillArchive,
  skillEntry,
  skillReference,
  health,
  ready,
  metrics,
  openapi,
  docs,
]
