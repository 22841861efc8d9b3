import type { z } from 'zod'
import { usePages } from '#console/call/use-pages.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useNow } from '#console/parts/text/use-now.ts'
import { listTokens, revokeToken } from '#contract/auth/tokens.ts'
import { CreateToken } from './create-token.tsx'

type Token = z.infer<typeof listTokens.output>['items'][number]

export function TokensPage() {
  const tokens = usePages(listTokens, {})
  const columns: readonly Column<Token>[] = [
    { head: 'Name', cell: ({ name }) => name },
    { head: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    { head: 'Expires', cell: (token) => <Expiry token={token} /> },
    { head: 'Last used', cell: (token) => <LastUse token={token} /> },
    {
      head: 'Actions',
      cell: (token) => (
        <AskButton
          label="Revoke"
          of={token.name}
          look="small"
          title="Revoke API token"
          op={revokeToken}
          input={{ id: token.id }}
          changes={[listTokens]}
          done={`Revoked ${token.name}.`}
        >
          <p>
            Whatever uses <strong>{token.name}</strong> is refused from now on. This cannot be undone.
          </p>
        </AskButton>
      ),
    },
  ]
  return (
    <Page title="API tokens" acts={<Opener label="Create API token" look="main" dialog={<CreateToken />} />}>
      <p className="soft">A token acts for you with your current role. Scripts, the svc client and agents use it.</p>
      <List
        isStacked
        of={tokens}
        caption="Your API tokens"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No API tokens yet">
            <p>
              Create one, then sign in on the command line with it: <code>svc login</code>.
            </p>
          </Empty>
        }
      />
    </Page>
  )
}

function LastUse({ token: { last_used_at, last_used_from } }: { token: Token }) {
  if (last_used_at === null) return <span className="soft">never</span>
  return (
    <>
      <Time at={last_used_at} /> {last_used_from !== null && <span className="soft">from {last_used_from}</span>}
    </>
  )
}

function Expiry({ token: { expires_at } }: { token: Token }) {
  const now = useNow()
  if (expires_at === null) return <span className="soft">never</span>
  if (new Date(expires_at) <= now) return <Chip tone="failure">Expired</Chip>
  return <Time at={expires_at} />
}
