import { allowAgent, disconnectAgent, endAgentConnection, listAgents } from '#contract/auth/agents.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'

export const list = listCommand(listAgents, {
  label: 'Listing agents',
  header: ['ID', 'NAME', 'GOES TO', 'SCOPES', 'CONNECTED', 'WITH', 'FROM', 'LAST USED'],
  cut: ['SCOPES', 'NAME', 'GOES TO', 'WITH'],
  row: (agent, cli) => [
    agent.id,
    agent.client_name,
    agent.vouched_by === null ? agent.redirect_host : 'by your company',
    agent.scopes.join(' '),
    cli.time(agent.created_at),
    agent.connected_with ?? '',
    agent.connected_from ?? '',
    agent.ended_by === null ? cli.time(agent.last_used_at, 'never') : `ended by ${endedBy(agent.ended_by)}`,
  ],
  none: 'You have not connected an agent in this organization.',
})

const endedBy = (who: 'person' | 'admin') => (who === 'person' ? 'you' : 'an admin')

export const allow = callCommand(allowAgent, {
  input: ([id]) => ({ id }),
  text: () => 'Your company can connect the agent again.',
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
