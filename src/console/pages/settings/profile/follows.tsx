import { useCall } from '#console/call/use-call.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { CATEGORY_LABELS } from '#contract/core/event-definition.ts'
import { type Follow, listFollows } from '#contract/notifications/follows.ts'
import { FollowApp } from './follow-app.tsx'

/** The apps that the person follows, with what became of the newest message about each. */
export function Follows() {
  const follows = useCall(listFollows, {})
  const columns: readonly Column<Follow>[] = [
    { head: 'App', cell: ({ app }) => app.name ?? app.alias ?? 'deleted app' },
    { head: 'Follows', cell: ({ categories }) => categories.map((one) => CATEGORY_LABELS[one]).join(', ') },
    { head: 'Sent', cell: ({ frequency, via }) => `${frequency}, by ${via}`, isWide: true },
    { head: 'Last outcome', cell: ({ last_outcome }) => <Outcome of={last_outcome} /> },
    {
      head: 'Actions',
      cell: (follow) => (
        <Opener label="Change" of={follow.app.alias ?? ''} look="small" dialog={<FollowApp follow={follow} />} />
      ),
    },
  ]
  return (
    <section aria-labelledby="follows">
      <div className="part-head">
        <h2 id="follows">Apps you follow</h2>
        <Opener label="Follow app" look="main" dialog={<FollowApp />} />
      </div>
      <List
        isStacked
        of={follows}
        caption="Apps you follow"
        columns={columns}
        keyOf={({ app }) => app.id}
        empty={
          <Empty title="You follow no app">
            <p>Follow an app to hear about its checks, maintenance, failed deploys or tickets.</p>
          </Empty>
        }
      />
    </section>
  )
}

function Outcome({ of }: { of: Follow['last_outcome'] }) {
  if (of === null) return <span className="soft">nothing sent yet</span>
  if (of.reason === 'outcome_unknown') return <Chip tone="unknown">Unknown</Chip>
  if (of.status === 'delivered') return <Chip tone="success">Delivered</Chip>
  if (of.status === 'retrying') return <Chip tone="attention">Retrying</Chip>
  return (
    <>
      <Chip tone="failure">Not sent</Chip> {REASON_TEXTS[of.reason ?? ''] ?? of.reason}
    </>
  )
}

/** Texts of the reasons that the server gives. A reason that is not listed is shown as its code. */
const REASON_TEXTS: Readonly<Record<string, string>> = {
  chat_not_linked: 'your chat account is not linked; link it, or choose mail',
  chat_account_inactive: 'your chat account is not active',
  chat_installation_broken: 'the chat connection is broken',
  no_part_in_app: 'you have no part in the app any more',
  people_unknown: 'svc could not look you up',
  mail_not_configured: 'svc has no mail server',
  destination_gone: 'the receiver is gone',
  unsubscribed: 'you unsubscribed',
}
