import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { listApps } from '#contract/apps/apps.ts'
import { CATEGORY_LABELS, FOLLOW_CATEGORIES } from '#contract/core/event-definition.ts'
import { type Follow, listFollows, setFollow } from '#contract/notifications/follows.ts'
import { TIMINGS, type TimingName } from '../integrations/timings.ts'

/** Chooses what the person hears about an app. Saving replaces the former choice. */
export function FollowApp({ follow, onClose }: { follow?: Follow; onClose: () => void }) {
  const apps = useCall(listApps, { limit: 100 }, { enabled: follow === undefined })
  if (follow) return <Form options={[follow.app]} follow={follow} onClose={onClose} />
  return (
    <Loaded of={apps} skeleton={null}>
      {({ items }) => <Form options={items} onClose={onClose} />}
    </Loaded>
  )
}

type FormProps = {
  options: readonly { id: string; alias: string | null; name: string | null }[]
  follow?: Follow
  onClose: () => void
}

function Form({ options, follow, onClose }: FormProps) {
  const [app, setApp] = useState(options[0]?.id)
  const [categories, setCategories] = useState<Follow['categories']>(follow?.categories ?? [...FOLLOW_CATEGORIES])
  const [frequency, setFrequency] = useState<TimingName>(follow?.frequency ?? 'immediately')
  const save = useAct(setFollow, {
    changes: [listFollows],
    done: (saved) => (saved.categories.length === 0 ? 'You do not follow the app any more.' : 'Saved.'),
    after: onClose,
  })
  const toggle = (category: Follow['categories'][number], isOn: boolean) =>
    setCategories(FOLLOW_CATEGORIES.filter((one) => (one === category ? isOn : categories.includes(one))))
  if (app === undefined)
    return (
      <Dialog title="Follow app" onClose={onClose}>
        <p>There is no app yet that you could follow.</p>
      </Dialog>
    )
  return (
    <Dialog title="Follow app" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run({ app, categories, frequency })
        }}
      >
        <Choice
          label="App"
          value={app}
          options={options.map(({ id, name, alias }) => ({ value: id, label: name ?? alias ?? id }))}
          onChange={setApp}
          disabled={follow !== undefined}
        />
        <fieldset>
          <legend>Tell me about</legend>
          {FOLLOW_CATEGORIES.map((category) => (
            <label key={category} className="tick">
              <input
                type="checkbox"
                checked={categories.includes(category)}
                onChange={(event) => toggle(category, event.currentTarget.checked)}
              />
              {CATEGORY_LABELS[category]}
            </label>
          ))}
        </fieldset>
        <Choice label="Sent" value={frequency} options={TIMINGS} onChange={setFrequency} />
        <Fault of={save.error} />
        <FormFoot act="Save choice" isRunning={save.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}
