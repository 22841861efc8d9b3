import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { me as readMe } from '#contract/auth/members.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { retryRead } from '../call/retry.ts'
import { LoadFailed } from '../parts/page/load-failed.tsx'
import { connect } from '../session/api.ts'
import { useConnection } from '../session/connection.ts'
import { keepFragment } from '../session/keep-fragment.ts'
import { redeemCode } from '../session/redeem-code.ts'
import { identityOf, type Me, type Session, SessionContext } from '../session/session.ts'
import { useOtherTabs } from '../session/use-other-tabs.ts'
import { Boot } from './boot.tsx'
import { SessionEnded } from './session-ended.tsx'

const NoOrganization = lazy(async () => ({ default: (await import('./no-organization.tsx')).NoOrganization }))

type Found = { state: 'looking' } | { state: 'failed'; error: unknown } | { state: 'found'; me: Me }

/** Shows its children to a signed-in person only, and sends others to the sign-in page and back. */
export function SessionGate({ children }: { children: ReactNode }) {
  const [found, setFound] = useState<Found>({ state: 'looking' })
  const [attempt, setAttempt] = useState(0)
  const reread = useCallback(() => setAttempt((before) => before + 1), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt looks again
  useEffect(() => {
    const abort = new AbortController()
    void look(abort.signal).then((result) => abort.signal.aborted || setFound(keepMember(result)))
    return () => abort.abort()
  }, [attempt])
  if (found.state === 'looking') return <Boot />
  if (found.state === 'failed')
    return (
      <main className="alone">
        <LoadFailed error={found.error} onRetry={reread} />
      </main>
    )
  if (!isMember(found.me))
    return (
      <Suspense fallback={<Boot />}>
        <NoOrganization me={found.me} />
      </Suspense>
    )
  return (
    <Signed key={identityOf(found.me)} me={found.me} onReread={reread}>
      {children}
    </Signed>
  )
}

/** Keeps the person who was found when a later look fails, such as after a rename while the service restarts. */
const keepMember = (result: Found) => (before: Found) =>
  result.state === 'failed' && before.state === 'found' ? before : result

async function look(signal: AbortSignal): Promise<Found> {
  try {
    await redeemCode()
    return { state: 'found', me: await connect().call(readMe, {}, { signal }) }
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 401)) return { state: 'failed', error }
    keepFragment(location)
    location.assign(`/auth/login?return_to=${encodeURIComponent(location.pathname + location.search)}`)
    return { state: 'looking' }
  }
}

function isMember(me: Me): me is Session['me'] {
  return me.user !== null && me.org !== null && me.role !== null
}

function createQueries(): QueryClient {
  // The service may run on this computer: a browser that reports to be offline reaches it all the same.
  const networkMode = 'always'
  return new QueryClient({
    defaultOptions: { queries: { retry: retryRead, staleTime: 5_000, networkMode }, mutations: { networkMode } },
  })
}

/** Holds everything that belongs to one session. Another person or organization gets a new one, with nothing of this. */
function Signed({ me, onReread, children }: { me: Session['me']; onReread: () => void; children: ReactNode }) {
  const [isEnded, setEnded] = useState(false)
  const { report } = useConnection()
  const queries = useMemo(createQueries, [])
  const identity = identityOf(me)
  const session = useMemo(
    () => ({
      me,
      api: connect({
        session: identity,
        onSignedOut: () => setEnded(true),
        onSessionChanged: startOver,
        onReach: report,
      }),
      reread: onReread,
    }),
    [me, identity, onReread, report],
  )
  useOtherTabs(identity, startOver)
  useEffect(() => () => queries.clear(), [queries])
  return (
    <QueryClientProvider client={queries}>
      <SessionContext value={session}>
        {children}
        {isEnded && (
          <SessionEnded
            identity={identity}
            onBack={() => {
              setEnded(false)
              void queries.invalidateQueries()
            }}
            onOther={startOver}
          />
        )}
      </SessionContext>
    </QueryClientProvider>
  )
}

/** Loads the page anew, so that nothing of the former session stays in it. */
function startOver(): void {
  location.replace('/')
}
