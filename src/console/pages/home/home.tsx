import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { FirstSteps } from './first-steps.tsx'

export function Home() {
  const { me } = useSession()
  return (
    <Page title="Home">
      <p>{me.org.name}</p>
      <FirstSteps />
    </Page>
  )
}
