import { Link } from '@tanstack/react-router'
import type { Deploy } from '#contract/apps/deploys.ts'

type Revision = { alias: string } & Pick<Deploy, 'revision_id' | 'revision_message'>

/** A link to a revision by the words of its author, or by its id where they wrote none. */
export function RevisionLink({ alias, revision_id: revisionId, revision_message: message }: Revision) {
  return (
    <Link to="/apps/$alias/revisions/$revisionId" params={{ alias, revisionId }} title={revisionId}>
      {message ? message : <code>{revisionId}</code>}
    </Link>
  )
}
