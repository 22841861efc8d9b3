import { useCall } from '#console/call/use-call.ts'
import { ActChoice } from '#console/parts/form/act-choice.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { listAppPeople, removeAppPerson, setAppPerson } from '#contract/apps/people.ts'
import { AppPage } from '../app-page.tsx'
import { useApp } from '../use-app.ts'
import { AddPerson } from './add-person.tsx'
import { type AppPerson, PARTS } from './parts.ts'

/** Who has which part in the app. */
export function PeoplePage() {
  const { alias, canAdminister } = useApp()
  const people = useCall(listAppPeople, { alias })
  const columns: readonly Column<AppPerson>[] = [
    {
      head: 'Person',
      cell: (person) => (
        <span className="row">
          {nameOf(person)}
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
      head: 'Actions',
      cell: (person) =>
        canAdminister && (
          <AskButton
            label="Remove"
            of={nameOf(person)}
            look="small"
            title="Remove person"
            op={removeAppPerson}
            input={{ alias, user_id: person.user_id }}
            changes={[listAppPeople]}
            done={`${nameOf(person)} has no part in ${alias} any more.`}
          >
            <p>
              <strong>{nameOf(person)}</strong> is no {person.part} of <strong>{alias}</strong> any more. Their role in
              the organization stays.
            </p>
          </AskButton>
        ),
    },
  ]
  return (
    <AppPage
      section="People"
      acts={canAdminister && <Opener label="Add person" look="main" dialog={<AddPerson alias={alias} />} />}
    >
      <p className="soft">
        Owners and admins of the organization may do everything in every app, and developers may build every app. They
        are not listed unless they have a part of their own.
      </p>
      <List
        isStacked
        of={people}
        caption={`People of ${alias}`}
        columns={columns}
        keyOf={({ user_id }) => user_id}
        empty={
          <Empty title="Nobody has a part in this app">
            <p>Give a member of the organization a part, so that they can build it or are told about it.</p>
          </Empty>
        }
      />
    </AppPage>
  )
}

function Part({ alias, person }: { alias: string; person: AppPerson }) {
  return (
    <ActChoice
      op={setAppPerson}
      input={(part) => ({ alias, user_id: person.user_id, part })}
      changes={[listAppPeople]}
      done={({ part }) => `${nameOf(person)} is now ${part}.`}
      label={`Part of ${nameOf(person)}`}
      value={person.part}
      options={PARTS}
    />
  )
}

function nameOf({ display_name }: AppPerson): string {
  return display_name ?? 'a former member'
}
