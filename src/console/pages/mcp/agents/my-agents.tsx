import { usePages } from '#console/call/use-pages.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { allowAgent, disconnectAgent, endAgentConnection, listAgents, listOrgAgents } from '#contract/auth/agents.ts'
import { AGENT_COLUMNS, type Agent } from './agent-columns.tsx'

/** The agents that the person connected. */
export function MyAgents() {
  const agents = usePages(listAgents, { limit: 100 })
  const act: Column<Agent> = { head: 'Actions', cell: (agent) => <Acts agent={agent} /> }
  return (
    <section aria-labelledby="my-agents">
      <h2 id="my-agents">Yours</h2>
      <List
        isStacked
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

const CHANGES = [listAgents, listOrgAgents]

function Acts({ agent }: { agent: Agent }) {
  const { id, client_name: name, ended_by } = agent
  // An agent that an admin ended, only an admin allows again.
  if (ended_by === 'admin') return null
  if (ended_by === 'person') return <Allow id={id} name={name} />
  return (
    <>
      {agent.vouched_by === null && <End id={id} name={name} />}
      <AskButton
        label="Disconnect everywhere"
        of={name}
        look="small"
        title="Disconnect agent"
        op={disconnectAgent}
        input={{ id }}
        changes={CHANGES}
        done={`Disconnected ${name}.`}
      >
        <p>
          <strong>{name}</strong> is refused on all your computers from its next call on. To use it again,{' '}
          {agent.vouched_by === null ? 'connect it again' : 'allow it again here'}.
        </p>
      </AskButton>
    </>
  )
}

/** Not for connections of the company, which are not of a computer and end together. */
function End({ id, name }: { id: string; name: string }) {
  return (
    <AskButton
      label="End connection"
      of={name}
      look="small"
      title="End connection"
      op={endAgentConnection}
      input={{ id }}
      changes={CHANGES}
      done={`Ended the connection of ${name}.`}
    >
      <p>
        <strong>{name}</strong> on this one computer is refused from its next call on.
      </p>
    </AskButton>
  )
}

function Allow({ id, name }: { id: string; name: string }) {
  return (
    <AskButton
      label="Allow again"
      of={name}
      look="small"
      title="Allow agent"
      op={allowAgent}
      input={{ id }}
      changes={CHANGES}
      done={`Your company can connect ${name} again.`}
    >
      <p>
        Your company can connect <strong>{name}</strong> for you again.
      </p>
    </AskButton>
  )
}
