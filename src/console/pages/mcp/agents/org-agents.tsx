import { usePages } from '#console/call/use-pages.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { useSession } from '#console/session/session.ts'
import { allowMembersAgent, listAgents, listOrgAgents, revokeAgent } from '#contract/auth/agents.ts'
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
      head: 'Actions',
      cell: (agent) => <Act agent={agent} org_id={me.org.id} />,
    },
  ]
  return (
    <section aria-labelledby="org-agents">
      <h2 id="org-agents">Of the organization</h2>
      <List
        isStacked
        of={agents}
        caption="Agents of the organization"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p className="soft">No member has connected an agent.</p>}
      />
    </section>
  )
}

function Act({ agent, org_id }: { agent: Agent; org_id: string }) {
  const common = {
    of: `${agent.client_name} of ${agent.email}`,
    input: { org_id, id: agent.id },
    changes: [listAgents, listOrgAgents],
  }
  if (agent.ended_by !== null) {
    return (
      <AskButton
        {...common}
        label="Allow again"
        look="small"
        title="Allow agent"
        op={allowMembersAgent}
        done={`The company can connect ${common.of} again.`}
      >
        <p>
          The company can connect <strong>{agent.client_name}</strong> for {agent.email} again.
        </p>
      </AskButton>
    )
  }
  return (
    <AskButton
      {...common}
      label="Revoke"
      look="small danger"
      title="Revoke agent"
      op={revokeAgent}
      done={`Revoked ${common.of}.`}
    >
      <p>
        <strong>{agent.client_name}</strong>, which acts for {agent.email}, is refused on all their computers from its
        next call on. {agent.vouched_by === null ? 'They can connect it again.' : 'An admin can allow it again here.'}
      </p>
    </AskButton>
  )
}
