import type { z } from 'zod'
import type { Column } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import type { listAgents } from '#contract/auth/agents.ts'

export type Agent = z.infer<typeof listAgents.output>['items'][number]

/** What is known of an agent. Its name is its own claim; the host that gets its codes is not. */
export const AGENT_COLUMNS: readonly Column<Agent>[] = [
  { head: 'Agent', cell: ({ client_name }) => client_name },
  { head: 'Redirects to', cell: ({ redirect_host }) => <code>{redirect_host}</code>, isWide: true },
  { head: 'Scopes', cell: ({ scopes }) => scopes.join(', '), isWide: true },
  {
    head: 'Last used',
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="soft">never</span> : <Time at={last_used_at} />,
  },
  { head: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} />, isWide: true },
]
