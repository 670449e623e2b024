// A page that is about one thing: the thing, its skeleton, or why it cannot be shown, always with a heading and a way out.
import { PatchbayError } from '@patchbay/sdk'
import { CircleAlert, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, LinkButton } from './button.tsx'
import { Empty } from './empty.tsx'
import { Page } from './page.tsx'
import { SkeletonLines } from './skeleton.tsx'

type Result<Data> = { data: Data | undefined; error: Error | null; refetch: () => unknown }

export function PageOf<Data>({
  query,
  title,
  back,
  sentence,
  skeleton,
  children,
}: {
  query: Result<Data>
  /** Until the thing's own name is known. */
  title: string
  back: { label: string; to: string }
  sentence: (error: unknown) => string
  /** The page while it is on its way, where more than its title is known already. */
  skeleton?: ReactNode
  children: (data: NonNullable<Data>) => ReactNode
}) {
  if (query.data !== undefined && query.data !== null) return <>{children(query.data)}</>
  if (!query.error) {
    return (
      skeleton ?? (
        <Page title={title}>
          <SkeletonLines count={8} />
        </Page>
      )
    )
  }
  const isMissing = query.error instanceof PatchbayError && [403, 404].includes(query.error.status)
  return (
    <Page title={isMissing ? 'Not found' : title}>
      <Empty
        icon={isMissing ? SearchX : CircleAlert}
        title={sentence(query.error)}
        action={
          <>
            <LinkButton to={back.to as '/'} tone="primary">
              {back.label}
            </LinkButton>
            <Button onClick={() => query.refetch()}>Try again</Button>
          </>
        }
      >
        {isMissing && 'It may belong to another account. Choose that account at the top, then open it from there.'}
      </Empty>
    </Page>
  )
}
