import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { useSession } from '#console/session/session.ts'
import { listAgents, listOrgAgents, revokeAgent } from '#contract/auth/agents.ts'
import { AGENT_COLUMNS, type Agent } from './agent-columns.tsx'

/** All agents of the organization, for admins. */
export function OrgAgents() {
  const { me } = useSession()
  const agents = usePages(listOrgAgents, { org_id: me.org.id, limit: 100 })
  const [chosen, setChosen] = useState<Agent>()
  const [name, ...rest] = AGENT_COLUMNS
  const columns: readonly Column<Agent>[] = [
    name!,
    { head: 'Person', cell: ({ email }) => email },
    ...rest,
    {
      head: 'Acts',
      cell: (agent) => (
        <button type="button" className="button small danger" onClick={() => setChosen(agent)}>
          Revoke
          <span className="visually-hidden">
            {' '}
            {agent.client_name} of {agent.email}
          </span>
        </button>
      ),
    },
  ]
  return (
    <section aria-labelledby="org-agents">
      <h2 id="org-agents">Of the organization</h2>
      <Loaded of={agents}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">No member has connected an agent.</p>
          ) : (
            <>
              <Table caption="Agents of the organization" columns={columns} rows={items} keyOf={({ id }) => id} />
              <More of={agents} />
            </>
          )
        }
      </Loaded>
      {chosen && <Revoke agent={chosen} orgId={me.org.id} onClose={() => setChosen(undefined)} />}
    </section>
  )
}

function Revoke({ agent, orgId, onClose }: { agent: Agent; orgId: string; onClose: () => void }) {
  const revoke = useAct(revokeAgent, {
    changes: [listAgents, listOrgAgents],
    done: () => `Revoked ${agent.client_name} of ${agent.email}.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Revoke agent"
      isRunning={revoke.isRunning}
      error={revoke.error}
      onConfirm={() => revoke.run({ org_id: orgId, id: agent.id })}
      onClose={onClose}
    >
      <p>
        <strong>{agent.client_name}</strong>, which acts for {agent.email}, is refused from its next call on. They can
        connect it again.
      </p>
    </Confirm>
  )
}
