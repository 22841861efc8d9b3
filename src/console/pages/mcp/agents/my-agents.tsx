import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { disconnectAgent, listAgents, listOrgAgents } from '#contract/auth/agents.ts'
import { AGENT_COLUMNS, type Agent } from './agent-columns.tsx'

/** The agents that the person connected. */
export function MyAgents() {
  const agents = usePages(listAgents, { limit: 100 })
  const [chosen, setChosen] = useState<Agent>()
  const act: Column<Agent> = {
    head: 'Acts',
    cell: (agent) => (
      <button type="button" className="button small" onClick={() => setChosen(agent)}>
        Disconnect<span className="visually-hidden"> {agent.client_name}</span>
      </button>
    ),
  }
  return (
    <section aria-labelledby="my-agents">
      <h2 id="my-agents">Yours</h2>
      <Loaded of={agents}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No agent connected yet">
              <p>Choose your agent below and run its command. It opens the browser once, where you approve it.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Your agents" columns={[...AGENT_COLUMNS, act]} rows={items} keyOf={({ id }) => id} />
              <More of={agents} />
            </>
          )
        }
      </Loaded>
      {chosen && <Disconnect agent={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  )
}

function Disconnect({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const disconnect = useAct(disconnectAgent, {
    changes: [listAgents, listOrgAgents],
    done: () => `Disconnected ${agent.client_name}.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Disconnect agent"
      isRunning={disconnect.isRunning}
      error={disconnect.error}
      onConfirm={() => disconnect.run({ id: agent.id })}
      onClose={onClose}
    >
      <p>
        <strong>{agent.client_name}</strong> is refused from its next call on. To use it again, connect it again.
      </p>
    </Confirm>
  )
}
