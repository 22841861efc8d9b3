import { disconnectAgent, endAgentConnection, listAgents } from '#contract/auth/agents.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'

export const list = listCommand(listAgents, {
  label: 'Listing agents',
  header: ['ID', 'NAME', 'GOES TO', 'SCOPES', 'CONNECTED', 'WITH', 'FROM', 'LAST USED'],
  cut: ['SCOPES', 'NAME', 'GOES TO', 'WITH'],
  row: ({ id, client_name, redirect_host, scopes, created_at, connected_with, connected_from, last_used_at }, cli) => [
    id,
    client_name,
    redirect_host,
    scopes.join(' '),
    cli.time(created_at),
    connected_with ?? '',
    connected_from ?? '',
    cli.time(last_used_at, 'never'),
  ],
  none: 'You have not connected an agent in this organization.',
})

export const disconnect = callCommand(disconnectAgent, {
  input: ([id]) => ({ id }),
  confirm: ([id]) => [`This disconnects the agent of ${id} on all your computers`],
  text: ({ connections }) => `Disconnected the agent. Connections that ended: ${connections}.`,
})

export const endConnection = callCommand(endAgentConnection, {
  input: ([id]) => ({ id }),
  confirm: ([id]) => [`This ends the connection ${id}`],
  text: (_, [id]) => `Ended ${id}.`,
})
