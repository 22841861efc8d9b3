import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Confirm } from '#console/parts/confirm.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { useNow } from '#console/parts/use-now.ts'
import { listTokens, revokeToken } from '#contract/auth/tokens.ts'
import { CreateToken } from './create-token.tsx'

type Token = { id: string; name: string; created_at: string; expires_at: string | null }

/** The person's own API tokens. */
export function TokensPage() {
  const tokens = usePages(listTokens, {})
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<Token>()
  const columns: readonly Column<Token>[] = [
    { head: 'Name', cell: ({ name }) => name },
    { head: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    { head: 'Expires', cell: (token) => <Expiry token={token} /> },
    {
      head: 'Acts',
      cell: (token) => (
        <button type="button" className="button small" onClick={() => setRevoked(token)}>
          Revoke<span className="visually-hidden"> {token.name}</span>
        </button>
      ),
    },
  ]
  const create = (
    <button type="button" className="button main" onClick={() => setCreating(true)}>
      Create API token
    </button>
  )
  return (
    <Page title="API tokens" acts={create}>
      <p className="soft">A token acts for you with your current role. Scripts, the svc client and agents use it.</p>
      <Loaded of={tokens}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No API tokens yet">
              <p>Create one, then sign in on the command line with it: svc login.</p>
            </Empty>
          ) : (
            <>
              <Table caption="Your API tokens" columns={columns} rows={items} keyOf={({ id }) => id} />
              <More of={tokens} />
            </>
          )
        }
      </Loaded>
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(undefined)} />}
    </Page>
  )
}

function Expiry({ token: { expires_at } }: { token: Token }) {
  const now = useNow()
  if (expires_at === null) return <span className="soft">never</span>
  if (new Date(expires_at) <= now) return <Chip tone="failure">Expired</Chip>
  return <Time at={expires_at} />
}

function Revoke({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useAct(revokeToken, {
    changes: [listTokens],
    done: () => `Revoked ${token.name}.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Revoke API token"
      isRunning={revoke.isRunning}
      error={revoke.error}
      onConfirm={() => revoke.run({ id: token.id })}
      onClose={onClose}
    >
      <p>
        Whatever uses <strong>{token.name}</strong> is refused from now on. This cannot be undone.
      </p>
    </Confirm>
  )
}
