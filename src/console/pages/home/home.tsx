import { Page } from '#console/parts/page/page.tsx'
import { useSession } from '#console/session/session.ts'
import { FirstSteps } from './first-steps.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Questions } from './questions.tsx'

/** The overview for an administrator on Monday morning, without a click. */
export function Home() {
  const { me } = useSession()
  return (
    <Page title={me.org.name}>
      <div className="stack">
        <NeedsYou />
        <FirstSteps isBegun={false} />
        <Questions />
        <FirstSteps isBegun />
      </div>
    </Page>
  )
}
