import { usePages } from '#console/call/use-pages.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { useSession } from '#console/session/session.ts'
import { listAgents, listOrgAgents, revokeAgent } from '#contract/auth/agents.ts'
import { AGENT_COLUMNS, type Agent } from './agent-columns.tsx'

/** All agents of the organization, for admins. */
export function OrgAgents() {
  const { me } = useSession()
  const agents = usePages(listOrgAgents, { org_id: me.org.id, limit: 100 })
  const [name, ...rest] = AGENT_COLUMNS
  const columns: readonly Column<Agent>[] = [
    name!,
    { head: 'Person', cell: ({ email }) => email },
    ...rest,
    {
      head: 'Acts',
      cell: (agent) => (
        <AskButton
          label="Revoke"
          of={`${agent.client_name} of ${agent.email}`}
          look="small danger"
          title="Revoke agent"
          op={revokeAgent}
          input={{ org_id: me.org.id, id: agent.id }}
          changes={[listAgents, listOrgAgents]}
          done={`Revoked ${agent.client_name} of ${agent.email}.`}
        >
          <p>
            <strong>{agent.client_name}</strong>, which acts for {agent.email}, is refused on all their computers from
            its next call on. They can connect it again.
          </p>
        </AskButton>
      ),
    },
  ]
  return (
    <section aria-labelledby="org-agents">
      <h2 id="org-agents">Of the organization</h2>
      <List
        of={agents}
        caption="Agents of the organization"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p className="soft">No member has connected an agent.</p>}
      />
    </section>
  )
}
