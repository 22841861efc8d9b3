import { useCall } from '#console/call/use-call.ts'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { Tick } from '#console/parts/form/tick.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { listApps } from '#contract/apps/apps.ts'
import { CATEGORY_LABELS, FOLLOW_CATEGORIES } from '#contract/core/event-definition.ts'
import { FOLLOW_WAYS, type Follow, type FollowWay, listFollows, setFollow } from '#contract/notifications/follows.ts'
import { TIMINGS, type TimingName } from '../integrations/timings.ts'

const WAY_LABELS: Readonly<Record<FollowWay, string>> = { chat: 'direct message in chat', mail: 'mail instead' }
const FOLLOW_BY = FOLLOW_WAYS.map((way) => ({ value: way, label: WAY_LABELS[way] }))

/** Chooses what the person hears about an app. Saving replaces the former choice. */
export function FollowApp({ follow }: { follow?: Follow }) {
  const apps = useCall(listApps, { limit: 100 }, { enabled: follow === undefined })
  if (follow) return <Form options={[follow.app]} follow={follow} />
  return <Loaded of={apps}>{({ items }) => <Form options={items} />}</Loaded>
}

type FormProps = {
  options: readonly { id: string; alias: string | null; name: string | null }[]
  follow?: Follow
}

function Form({ options, follow }: FormProps) {
  const [first] = options
  if (!first)
    return (
      <Dialog title="Follow app">
        <p>There is no app yet that you could follow.</p>
      </Dialog>
    )
  const ticked = FOLLOW_CATEGORIES.map((one) => [one, follow?.categories.includes(one) ?? true] as const)
  const sent: TimingName = follow?.frequency ?? 'immediately'
  const way: FollowWay = follow?.via ?? 'chat'
  return (
    <FormDialog
      title="Follow app"
      op={setFollow}
      fields={{
        app: first.id,
        frequency: sent,
        via: way,
        ...(Object.fromEntries(ticked) as Record<Category, boolean>),
      }}
      input={({ app, frequency, via, ...typed }) => ({
        app,
        frequency,
        via,
        categories: FOLLOW_CATEGORIES.filter((category) => typed[category]),
      })}
      changes={[listFollows]}
      done={(saved) => (saved.categories.length === 0 ? 'You do not follow the app any more.' : 'Saved.')}
      submit="Save choice"
    >
      <ChoiceField
        label="App"
        name="app"
        options={options.map(({ id, name, alias }) => ({ value: id, label: name ?? alias ?? id }))}
        disabled={follow !== undefined}
      />
      <fieldset>
        <legend>Tell me about</legend>
        {FOLLOW_CATEGORIES.map((category) => (
          <Tick key={category} name={category}>
            {CATEGORY_LABELS[category]}
          </Tick>
        ))}
      </fieldset>
      <ChoiceField label="Sent" name="frequency" options={TIMINGS} />
      <ChoiceField label="By" name="via" options={FOLLOW_BY} />
    </FormDialog>
  )
}

type Category = (typeof FOLLOW_CATEGORIES)[number]
