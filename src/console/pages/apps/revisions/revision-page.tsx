import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { shortId } from '#console/parts/text/short-id.ts'
import { Time } from '#console/parts/text/time.tsx'
import { diffRevisions, listRevisions, readRevision } from '#contract/apps/revisions.ts'
import { AppDetail } from '../app-detail.tsx'
import { Diff } from '../diff/diff.tsx'
import { useAlias } from '../use-alias.ts'

/** A revision and what it changed, compared with the one before or another that is chosen. */
export function RevisionPage() {
  const alias = useAlias()
  const { revisionId = '' } = useParams({ strict: false })
  const { base } = useSearch({ from: '/apps/$alias/revisions/$revisionId' })
  const navigate = useNavigate({ from: '/apps/$alias/revisions/$revisionId' })
  const revision = useCall(readRevision, { alias, revision_id: revisionId })
  const nameOf = useNames([revision.data?.created_by])
  const others = useCall(listRevisions, { alias, limit: 50 })
  const diff = useCall(diffRevisions, { alias, revision_id: revisionId, ...(base !== undefined && { base }) })
  const bases = [
    { value: '', label: 'the revision before it' },
    ...(others.data?.items ?? [])
      .filter(({ id }) => id !== revisionId)
      .map(({ id, message }) => ({ value: id, label: message ?? `a revision without a message (${shortId(id)})` })),
  ]
  return (
    <AppDetail title="Revision" section="Deploys">
      <Loaded of={revision}>
        {({ id, message, file_count, created_at, created_by }) => (
          <Facts
            of={{
              Id: <Copy text={id} />,
              Message: message,
              Files: file_count,
              Created: (
                <>
                  <Time at={created_at} /> by {created_by === null ? 'the maintenance agent' : nameOf(created_by)}
                </>
              ),
            }}
          />
        )}
      </Loaded>
      <Choice
        label="Compare with"
        value={base ?? ''}
        options={bases}
        onChange={(chosen) => void navigate({ search: { base: chosen === '' ? undefined : chosen } })}
      />
      <Loaded of={diff}>
        {({ base: compared, files, truncated }) => (
          <>
            {compared === null && <p className="soft">This is the first revision: every file is new.</p>}
            {truncated && (
              <p className="banner">
                The change is too large to show whole. Compare it in a checkout: svc apps diff {alias}
              </p>
            )}
            <Diff files={files} />
          </>
        )}
      </Loaded>
      <p>
        <Link to="/apps/$alias/deploys" params={{ alias }}>
          All deploys
        </Link>
      </p>
    </AppDetail>
  )
}
