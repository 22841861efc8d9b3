import type { z } from 'zod'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import type { listAgents } from '#contract/auth/agents.ts'

export type Agent = z.infer<typeof listAgents.output>['items'][number]

/** Columns of an agent. Its name is its own claim; the host that gets its codes is not. */
export const AGENT_COLUMNS: readonly Column<Agent>[] = [
  {
    head: 'Agent',
    cell: ({ client_name, redirect_host, vouched_by }) => (
      <>
        {client_name}
        <div className="soft">
          {vouched_by === null ? 'to ' : 'by your company, '}
          <code>{vouched_by ?? redirect_host}</code>
        </div>
      </>
    ),
  },
  {
    head: 'Connected',
    cell: ({ created_at, connected_with, connected_from }) => (
      <>
        <Time at={created_at} />
        <div className="soft">{[connected_with, connected_from].filter((text) => text !== null).join(', ')}</div>
      </>
    ),
  },
  { head: 'Scopes', cell: ({ scopes }) => scopes.map((scope) => <div key={scope}>{scope}</div>), isWide: true },
  {
    head: 'Last used',
    cell: ({ last_used_at, ended_by }) =>
      ended_by !== null ? (
        <span className="soft">ended by {ended_by === 'person' ? 'the person' : 'an admin'}</span>
      ) : last_used_at === null ? (
        <span className="soft">never</span>
      ) : (
        <Time at={last_used_at} />
      ),
  },
  { head: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} />, isWide: true },
]
