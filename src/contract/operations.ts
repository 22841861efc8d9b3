import * as activity from './activity.ts'
import * as ai from './ai.ts'
import * as apps from './apps/apps.ts'
import * as deploys from './apps/deploys.ts'
import * as environment from './apps/environment.ts'
import * as logs from './apps/logs.ts'
import * as people from './apps/people.ts'
import * as revisions from './apps/revisions.ts'
import * as series from './apps/series.ts'
import * as agents from './auth/agents.ts'
import * as auth from './auth/auth.ts'
import * as companySignOn from './auth/company-sign-on.ts'
import * as deletions from './auth/deletions.ts'
import * as invitationPages from './auth/invitation-page.ts'
import * as mailedLinks from './auth/mailed-link.ts'
import * as members from './auth/members.ts'
import * as oauth from './auth/oauth.ts'
import * as signIn from './auth/sign-in.ts'
import * as support from './auth/support.ts'
import * as tokens from './auth/tokens.ts'
import * as backups from './backups.ts'
import * as chatCompletions from './chat-completions.ts'
import * as checks from './checks/checks.ts'
import * as checkOverview from './checks/overview.ts'
import * as checkSeries from './checks/series.ts'
import * as clientPackages from './client-package.ts'
import * as consolePages from './console.ts'
import type { Operation } from './core/operation.ts'
import * as checkSearch from './data-sources/check-search.ts'
import * as embeddingChange from './data-sources/embedding-change.ts'
import * as knownValues from './data-sources/known-values.ts'
import * as searchConfig from './data-sources/search-config.ts'
import * as sources from './data-sources/sources.ts'
import * as databaseTables from './database-tables.ts'
import * as databases from './databases.ts'
import * as functions from './functions.ts'
import * as guides from './guides.ts'
import * as findings from './maintenance/findings.ts'
import * as proposals from './maintenance/proposals.ts'
import * as maintenanceRuns from './maintenance/runs.ts'
import * as maintenanceSettings from './maintenance/settings.ts'
import * as maintenanceTools from './maintenance/tools.ts'
import * as mcp from './mcp.ts'
import * as channels from './notifications/channels.ts'
import * as chat from './notifications/chat.ts'
import * as chatLink from './notifications/chat-link.ts'
import * as deliveries from './notifications/deliveries.ts'
import * as email from './notifications/email.ts'
import * as follows from './notifications/follows.ts'
import * as forum from './notifications/forum.ts'
import * as inbox from './notifications/inbox.ts'
import * as mailLinks from './notifications/mail-links.ts'
import * as mailbox from './notifications/mailbox.ts'
import * as notificationSettings from './notifications/settings.ts'
import * as subscriptions from './notifications/subscriptions.ts'
import * as webhookSecret from './notifications/webhook-secret.ts'
import * as webhooks from './notifications/webhooks.ts'
import * as pipelines from './pipelines.ts'
import * as search from './search.ts'
import * as skills from './skills.ts'
import * as system from './system.ts'
import * as tickets from './tickets.ts'
import * as workers from './workers.ts'

/** All operations. OpenAPI and the role table are generated from this list, and only these operations are mounted. */
export const OPERATIONS: readonly Operation[] = [
  auth.validateToken,
  auth.createOrg,
  auth.adminCreateOrg,
  auth.adminCreateToken,
  support.adminSetDomains,
  support.adminListAudit,
  support.startSupport,
  support.elevateSupport,
  support.endSupport,
  members.me,
  members.listOrgs,
  members.readOrg,
  members.renameOrg,
  deletions.readOrgDeletion,
  deletions.deleteOrg,
  deletions.undoOrgDeletion,
  deletions.adminListDeletions,
  deletions.adminDeletePerson,
  deletions.adminUndoDeletion,
  members.nameMembers,
  tokens.listTokens,
  tokens.listOrgTokens,
  tokens.createToken,
  tokens.revokeToken,
  members.listMembers,
  members.changeRole,
  members.removeMember,
  members.createInvitation,
  members.listInvitations,
  members.resendInvitation,
  members.revokeInvitation,
  members.acceptInvitation,
  members.setDomains,
  members.listAudit,
  support.listSupport,
  support.listOpenSupport,
  agents.listAgents,
  agents.disconnectAgent,
  agents.endAgentConnection,
  agents.listOrgAgents,
  agents.revokeAgent,
  agents.revokeAgentConnection,
  agents.allowAgent,
  agents.allowMembersAgent,
  companySignOn.readCompanySignOn,
  companySignOn.setCompanySignOn,
  companySignOn.endCompanySignOn,
  companySignOn.listCompanyClients,
  companySignOn.createCompanyClient,
  companySignOn.deleteCompanyClient,
  oauth.oauthMetadata,
  oauth.oauthRegister,
  oauth.oauthAuthorize,
  oauth.oauthResume,
  oauth.consentPage,
  oauth.consentDecision,
  oauth.oauthToken,
  oauth.oauthRevoke,
  sources.listSlimSources,
  sources.querySource,
  knownValues.listKnownValues,
  sources.listSources,
  sources.switchSource,
  sources.exposeSource,
  searchConfig.getSource,
  searchConfig.configureSource,
  embeddingChange.changeEmbedding,
  embeddingChange.queryWithEmbedding,
  search.search,
  checkSearch.checkSearch,
  checkSearch.previewSearch,
  databases.createDatabase,
  databases.listDatabases,
  databases.databaseSizes,
  databaseTables.listTables,
  backups.backupState,
  databases.readConnection,
  databases.dumpDatabase,
  databases.dropDatabase,
  activity.listActivity,
  activity.activityStatistics,
  activity.setQuota,
  ai.listModels,
  ai.readAgentPool,
  chatCompletions.createChatCompletion,
  ai.createEmbeddings,
  inbox.listInbox,
  inbox.followInbox,
  inbox.countUnread,
  inbox.ackNotification,
  inbox.ackInbox,
  follows.listFollows,
  follows.setFollow,
  channels.listChannels,
  channels.testChannel,
  webhooks.createWebhook,
  webhooks.changeWebhook,
  webhooks.deleteWebhook,
  webhookSecret.rotateWebhookSecret,
  webhookSecret.deleteWebhookSecret,
  chat.readChat,
  chat.connectChat,
  chat.disconnectChat,
  chat.startChatInstallation,
  chat.chatCallback,
  chatLink.readChatLink,
  chatLink.startChatLink,
  chatLink.deleteChatLink,
  forum.connectForum,
  forum.configureForum,
  forum.disconnectForum,
  email.addEmail,
  email.deleteEmail,
  mailLinks.confirmEmailPage,
  mailLinks.confirmEmail,
  subscriptions.listSubscriptions,
  subscriptions.createSubscription,
  subscriptions.changeSubscription,
  subscriptions.deleteSubscription,
  mailLinks.unsubscribePage,
  mailLinks.unsubscribe,
  mailbox.mailboxPage,
  notificationSettings.readNotificationSettings,
  notificationSettings.changeNotificationSettings,
  deliveries.listDeliveries,
  deliveries.readDelivery,
  deliveries.deliveryStatistics,
  deliveries.resendDelivery,
  apps.createApp,
  apps.listApps,
  apps.readApp,
  apps.changeApp,
  apps.deleteApp,
  people.listAppPeople,
  people.setAppPerson,
  people.removeAppPerson,
  environment.readEnvironment,
  environment.changeEnvironment,
  revisions.findMissingFiles,
  revisions.uploadFiles,
  revisions.createRevision,
  revisions.uploadRevision,
  revisions.listRevisions,
  revisions.readRevision,
  revisions.readRevisionFile,
  revisions.diffRevisions,
  revisions.downloadRevision,
  revisions.fetchRevision,
  deploys.startDeploy,
  deploys.rollBack,
  deploys.listDeploys,
  deploys.readDeploy,
  deploys.followDeploy,
  logs.searchLogs,
  logs.countLogs,
  logs.tailLogs,
  logs.ingestLogs,
  logs.ingestOtlp,
  series.readSeries,
  series.countRequests,
  tickets.fileTicket,
  tickets.listTickets,
  tickets.readTicket,
  tickets.moveTicket,
  tickets.replyToTicket,
  tickets.listReplies,
  maintenanceSettings.readOrgMaintenance,
  maintenanceSettings.changeOrgMaintenance,
  maintenanceSettings.changeAppMaintenance,
  maintenanceRuns.readMaintenance,
  maintenanceRuns.listMaintenanceRuns,
  maintenanceRuns.readMaintenanceRun,
  maintenanceRuns.startMaintenanceRun,
  findings.listFindings,
  findings.readFinding,
  findings.dismissFinding,
  findings.reopenFinding,
  proposals.listProposals,
  proposals.listAllProposals,
  proposals.readProposal,
  proposals.approveProposal,
  proposals.denyProposal,
  proposals.retryProposal,
  maintenanceTools.readLogTemplates,
  maintenanceTools.listLiveFiles,
  maintenanceTools.listCheckStates,
  maintenanceTools.readSourceFile,
  maintenanceTools.searchSource,
  maintenanceTools.searchAppLogs,
  maintenanceTools.readCheckHistory,
  maintenanceTools.listRecentFindings,
  maintenanceTools.readSignals,
  maintenanceTools.stageEdit,
  functions.listFunctions,
  functions.callFunction,
  workers.connectWorker,
  workers.reportResults,
  workers.workerHeartbeat,
  workers.reportLogs,
  checks.createCheck,
  checks.listChecks,
  checks.readCheck,
  checks.changeCheck,
  checks.deleteCheck,
  checks.runCheck,
  checks.listCheckRuns,
  checks.readCheckRun,
  checkOverview.listFailingChecks,
  checkOverview.showCheckHistory,
  checkSeries.readCheckSeries,
  pipelines.listPipelines,
  pipelines.readPipeline,
  pipelines.changePipeline,
  pipelines.deletePipeline,
  pipelines.runPipeline,
  pipelines.listPipelineRuns,
  pipelines.readPipelineSeries,
  pipelines.readPipelineRun,
  pipelines.readPipelineRunLog,
  signIn.signInPage,
  signIn.signInMethods,
  signIn.signInStart,
  signIn.signInCallback,
  signIn.signOut,
  signIn.localPage,
  signIn.localSignIn,
  mailedLinks.mailedLinkForm,
  mailedLinks.askMailedLink,
  mailedLinks.mailedLinkPage,
  mailedLinks.signInByMailedLink,
  invitationPages.invitationPage,
  invitationPages.acceptInvitationForm,
  signIn.switchOrg,
  signIn.sessionToken,
  signIn.listSessions,
  signIn.endOwnSession,
  signIn.exchangeCode,
  signIn.hostedCallback,
  mcp.platformMcp,
  mcp.notificationsMcp,
  mcp.platformMetadata,
  mcp.endpointMetadata,
  consolePages.consolePage,
  consolePages.consoleAsset,
  skills.skillIndex,
  skills.skillArchive,
  skills.skillEntry,
  skills.skillReference,
  clientPackages.describeInstance,
  clientPackages.clientPackage,
  clientPackages.clientRelease,
  guides.guideIndex,
  guides.guideFile,
  system.health,
  system.ready,
  system.metrics,
  system.openapi,
  system.docs,
  system.docsOfArea,
]
