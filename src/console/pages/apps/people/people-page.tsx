import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Choice } from '#console/parts/choice.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { listAppPeople, setAppPerson } from '#contract/apps/people.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { AddPerson } from './add-person.tsx'
import { type AppPerson, PARTS } from './parts.ts'
import { RemovePerson } from './remove-person.tsx'

/** Who has which part in the app. */
export function PeoplePage() {
  const alias = useAlias()
  const { canAdminister } = useApp(alias)
  const people = useCall(listAppPeople, { alias })
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<AppPerson>()
  const columns: readonly Column<AppPerson>[] = [
    {
      head: 'Person',
      cell: (person) => (
        <span className="row">
          {person.display_name ?? 'a former member'}
          {person.is_member === false && <Chip tone="attention">Left the organization</Chip>}
        </span>
      ),
    },
    {
      head: 'Part',
      cell: (person) => (canAdminister ? <Part alias={alias} person={person} /> : person.part),
    },
    { head: 'Since', cell: ({ added_at }) => <Time at={added_at} />, isWide: true },
    {
      head: 'Acts',
      cell: (person) =>
        canAdminister && (
          <button type="button" className="button small" onClick={() => setRemoved(person)}>
            Remove<span className="visually-hidden"> {person.display_name}</span>
          </button>
        ),
    },
  ]
  return (
    <AppPage
      section="People"
      acts={
        canAdminister && (
          <button type="button" className="button main" onClick={() => setAdding(true)}>
            Add person
          </button>
        )
      }
    >
      <p className="soft">
        Owners and admins of the organization may do everything in every app, and developers may build every app. They
        are not listed unless they have a part of their own.
      </p>
      <Loaded of={people}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nobody has a part in this app">
              <p>Give a member of the organization a part, so that they can build it or are told about it.</p>
            </Empty>
          ) : (
            <Table caption={`People of ${alias}`} columns={columns} rows={items} keyOf={({ user_id }) => user_id} />
          )
        }
      </Loaded>
      {isAdding && <AddPerson alias={alias} onClose={() => setAdding(false)} />}
      {removed && <RemovePerson alias={alias} person={removed} onClose={() => setRemoved(undefined)} />}
    </AppPage>
  )
}

function Part({ alias, person }: { alias: string; person: AppPerson }) {
  const name = person.display_name ?? 'a former member'
  const set = useAct(setAppPerson, { changes: [listAppPeople], done: ({ part }) => `${name} is now ${part}.` })
  return (
    <>
      <Choice
        label={`Part of ${name}`}
        isCompact
        value={person.part}
        options={PARTS}
        onChange={(part) => set.run({ alias, user_id: person.user_id, part: part })}
      />
      <Fault of={set.error} />
    </>
  )
}
