import { usePages } from '#console/call/use-pages.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { disconnectAgent, endAgentConnection, listAgents, listOrgAgents } from '#contract/auth/agents.ts'
import { AGENT_COLUMNS, type Agent } from './agent-columns.tsx'

/** The agents that the person connected. */
export function MyAgents() {
  const agents = usePages(listAgents, { limit: 100 })
  const act: Column<Agent> = {
    head: 'Acts',
    cell: (agent) => (
      <>
        <AskButton
          label="End"
          of={agent.client_name}
          look="small"
          title="End connection"
          op={endAgentConnection}
          input={{ id: agent.id }}
          changes={[listAgents, listOrgAgents]}
          done={`Ended the connection of ${agent.client_name}.`}
        >
          <p>
            <strong>{agent.client_name}</strong> on this one computer is refused from its next call on.
          </p>
        </AskButton>
        <AskButton
          label="Disconnect"
          of={agent.client_name}
          look="small"
          title="Disconnect agent"
          op={disconnectAgent}
          input={{ id: agent.id }}
          changes={[listAgents, listOrgAgents]}
          done={`Disconnected ${agent.client_name}.`}
        >
          <p>
            <strong>{agent.client_name}</strong> is refused on all your computers from its next call on. To use it
            again, connect it again.
          </p>
        </AskButton>
      </>
    ),
  }
  return (
    <section aria-labelledby="my-agents">
      <h2 id="my-agents">Yours</h2>
      <List
        of={agents}
        caption="Your agents"
        columns={[...AGENT_COLUMNS, act]}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No agent connected yet">
            <p>Choose your agent below and run its command. It opens the browser once, where you approve it.</p>
          </Empty>
        }
      />
    </section>
  )
}
