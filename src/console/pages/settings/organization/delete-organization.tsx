import { useCall } from '#console/call/use-call.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { deleteOrg, readOrgDeletion, undoOrgDeletion } from '#contract/auth/deletions.ts'

/** Every member sees that the organization is going to be deleted; owners delete it and undo that. */
export function DeleteOrganization({ name, slug }: { name: string; slug: string }) {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const of = useCall(readOrgDeletion, { org_id: me.org.id })
  if (!isOwner && of.data?.deletion === null) return null
  return (
    <section className="card" aria-labelledby="delete">
      <h2 id="delete">Deletion</h2>
      <Loaded of={of}>
        {({ deletion }) =>
          deletion === null ? (
            <>
              <p>
                Deletes {name} with its apps, databases and settings. For seven days nothing changes and an owner can
                undo it. Export the organization first with <code>svc org export</code>.
              </p>
              <AskButton
                look="danger"
                title="Delete organization"
                typed={slug}
                op={deleteOrg}
                input={{ org_id: me.org.id, confirm: slug }}
                changes={[readOrgDeletion]}
                done={`${name} will be deleted in seven days.`}
              >
                <p>
                  In seven days the apps of <strong>{name}</strong> are stopped, its databases are dropped, and
                  everything in it is deleted. Every owner gets a mail.
                </p>
              </AskButton>
            </>
          ) : (
            <>
              <p>
                <strong>{name} will be deleted</strong> <Time at={deletion.due_at} />. Until then nothing changes, and
                an owner can undo it.
              </p>
              {isOwner && (
                <ActButton
                  op={undoOrgDeletion}
                  input={{ org_id: me.org.id }}
                  changes={[readOrgDeletion]}
                  done={`${name} will not be deleted.`}
                >
                  Undo deletion
                </ActButton>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}
