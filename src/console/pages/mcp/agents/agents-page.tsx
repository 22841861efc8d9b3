import { Page } from '#console/parts/page/page.tsx'
import { useHasRole } from '#console/session/session.ts'
import { ConnectAgent } from './connect-agent.tsx'
import { MyAgents } from './my-agents.tsx'
import { OrgAgents } from './org-agents.tsx'

/** Agents that act for people in this organization, and how to connect one. */
export function AgentsPage() {
  const isAdmin = useHasRole('admin')
  return (
    <Page title="Connected agents">
      <p className="soft">
        An agent acts for the person who approved it, with their current role and within its scopes.
      </p>
      <div className="stack">
        <MyAgents />
        {isAdmin && <OrgAgents />}
        <ConnectAgent />
      </div>
    </Page>
  )
}
