import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { CircleAlert, Compass } from 'lucide-react'
import { sentenceOf } from '../api.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <Empty icon={Compass} title="There is no such page." action={<LinkButton to="/">Go to Home</LinkButton>}>
        The address may be mistyped, or what it points to was deleted.
      </Empty>
    </Page>
  )
}

/** A fault of the console itself. A part that could not be loaded is most often an older version of it. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const isOldVersion = /dynamically imported module|module script/i.test(sentenceOf(error))
  return (
    <Page title="Something went wrong">
      <Empty
        icon={CircleAlert}
        title={isOldVersion ? 'A new version of the console is available.' : 'This page could not be shown.'}
        action={
          <>
            <Button tone="primary" onClick={() => window.location.reload()}>
              Reload
            </Button>
            <Button onClick={() => void router.invalidate()}>Try again</Button>
          </>
        }
      >
        {isOldVersion ? 'Reload to get the new version.' : sentenceOf(error)}
      </Empty>
    </Page>
  )
}
