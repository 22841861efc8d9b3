import {
  createCompanyClient,
  deleteCompanyClient,
  endCompanySignOn,
  listCompanyClients,
  readCompanySignOn,
  setCompanySignOn,
} from '#contract/auth/company-sign-on.ts'
import type { Scope } from '#contract/core/roles.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { ownOrgInput } from '../../call/own-org.ts'
import { printable } from '../../terminal/printable.ts'

export const showSignOn = callCommand(readCompanySignOn, {
  input: async (_, __, client) => ownOrgInput(client),
  text: ({ issuer, scopes, available_issuers, token_endpoint, audience }) => [
    `Trusted identity provider: ${issuer ?? 'none'}`,
    `Scopes of agents: ${scopes.join(' ') || 'none'}`,
    `Can be trusted: ${available_issuers.join(', ') || 'none (the operator sets SVC_COMPANY_SIGN_ON)'}`,
    `Audience of assertions: ${audience}`,
    `Token endpoint: ${token_endpoint}`,
  ],
})

export const trust = callCommand(setCompanySignOn, {
  input: async ([issuer], { scope = [] }: { scope?: readonly Scope[] }, client) => ({
    ...(await ownOrgInput(client)),
    issuer,
    scopes: [...scope],
  }),
  confirm: ([issuer]) => [`This lets ${issuer} connect agents for every member of your organization`],
  text: ({ issuer }) => `${issuer} vouches for agents now.`,
  notes: (_, __, { config }) => [`Next: allow an agent with ${config.program} company allow-agent <name>`],
})

export const distrust = callCommand(endCompanySignOn, {
  input: async (_, __, client) => ownOrgInput(client),
  confirm: () => ['This ends all connections that the company made'],
  text: ({ connections }) => `No identity provider vouches for agents now. Connections that ended: ${connections}.`,
})

export const agents = listCommand(listCompanyClients, {
  input: async (_, __, client) => ownOrgInput(client),
  header: ['CLIENT ID', 'NAME', 'ALLOWED'],
  cut: ['NAME'],
  row: ({ client_id, name, created_at }, cli) => [client_id, name, cli.time(created_at)],
  none: (_, __, { config }) => `No agent is allowed. Allow one: ${config.program} company allow-agent <name>`,
})

export const allowAgent = callCommand(createCompanyClient, {
  input: async ([name], _, client) => ({ ...(await ownOrgInput(client)), name }),
  text: ({ client_id, client_secret }) => [`Client id: ${client_id}`, `Client secret: ${printable(client_secret)}`],
  notes: () => ['The secret is not shown again. The identity provider has to know the client id.'],
})

export const removeAgent = callCommand(deleteCompanyClient, {
  input: async ([id], _, client) => ({ ...(await ownOrgInput(client)), id }),
  confirm: ([id]) => [`This ends all connections of ${id}`],
  text: ({ connections }, [id]) => `Removed ${id}. Connections that ended: ${connections}.`,
})
