// The guide: what the product is and how it is used, beside the product.

import { guidePages } from 'virtual:guide'
import { getRouteApi, Link, useNavigate, useParams } from '@tanstack/react-router'
import { BookOpen, SearchX } from 'lucide-react'
import { type MouseEvent, useCallback } from 'react'
import { LinkButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import './prose.css'
import { searchGuide } from './search-guide.ts'

const route = getRouteApi('/docs')

export function DocsPage() {
  const { q = '' } = route.useSearch()
  const navigate = useNavigate()
  const search = useCallback(
    (text: string) => void navigate({ to: '/docs', search: text === '' ? {} : { q: text }, replace: true }),
    [navigate],
  )
  const found = q === '' ? undefined : searchGuide(guidePages, q)
  return (
    <Page title="Docs" lead="Short pages, from the first start to running Patchbay for hundreds of customers.">
      <search className="mb-5">
        <SearchBox className="w-full sm:w-96" value={q} onSearch={search} placeholder="Search the docs" />
      </search>
      {found?.length === 0 ? (
        <Empty icon={SearchX} title={`No page mentions “${q}”.`}>
          Try one word, or look in the API reference.
        </Empty>
      ) : (
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {(found ?? guidePages.map((page) => ({ page, excerpt: page.summary }))).map(({ page, excerpt }) => (
            <li key={page.slug}>
              <Link
                to="/docs/$page"
                params={{ page: page.slug }}
                className="block h-full rounded-lg border border-line bg-panel p-4 hover:border-line-strong hover:bg-raised/50"
              >
                <span className="flex items-center gap-2 font-medium">
                  <BookOpen size={15} strokeWidth={1.75} aria-hidden className="text-muted" />
                  {page.title}
                </span>
                <span className="mt-1.5 line-clamp-3 block text-table text-muted">{excerpt}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Page>
  )
}

export function GuidePage() {
  const { page: slug } = useParams({ strict: false }) as { page: string }
  const navigate = useNavigate()
  const at = guidePages.findIndex((page) => page.slug === slug)
  const page = guidePages[at]
  if (!page) {
    return (
      <Page title="Docs">
        <Empty icon={SearchX} title="There is no such page." action={<LinkButton to="/docs">All pages</LinkButton>} />
      </Page>
    )
  }
  // Links of the text stay inside the console instead of loading it anew.
  const follow = (event: MouseEvent) => {
    const link = (event.target as HTMLElement).closest('a')
    const address = link?.getAttribute('href')
    if (!address?.startsWith('/') || address === '/reference' || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    void navigate({ to: address })
  }
  const next = guidePages[at + 1]
  return (
    <Page title={page.title} back={{ label: 'Docs', link: { to: '/docs' } }}>
      <div className="grid grid-cols-1 items-start gap-10 lg:grid-cols-[180px_minmax(0,72ch)] xl:grid-cols-[180px_minmax(0,72ch)_200px]">
        <Pages current={page.slug} />
        <article className="min-w-0">
          {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: it only passes on what links inside do; they answer to keys themselves. */}
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made from the project's own files while building. */}
          <div className="prose" onClick={follow} dangerouslySetInnerHTML={{ __html: page.html }} />
          {next && (
            <p className="mt-10 border-t border-line pt-4 text-muted">
              Next:{' '}
              <Link to="/docs/$page" params={{ page: next.slug }} className="font-medium text-accent hover:underline">
                {next.title}
              </Link>
            </p>
          )}
        </article>
        <nav aria-label="On this page" className="sticky top-16 hidden xl:block">
          <p className="mb-2 text-label font-medium text-faint">On this page</p>
          <ul className="flex flex-col gap-1 border-l border-line">
            {page.sections.map((section) => (
              <li key={section.id}>
                <a
                  href={`#${section.id}`}
                  className="block border-l border-transparent pl-3 text-table text-muted hover:text-text"
                >
                  {section.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </Page>
  )
}

function Pages({ current }: { current: string }) {
  return (
    <nav aria-label="Docs" className="max-lg:hidden lg:sticky lg:top-16">
      <ul>
        {guidePages.map(({ slug, title }) => (
          <li key={slug}>
            <Link
              to="/docs/$page"
              params={{ page: slug }}
              aria-current={slug === current ? 'page' : undefined}
              className={classNames(
                'block rounded-md px-2.5 py-1.5 text-table',
                slug === current
                  ? 'bg-accent-soft font-medium text-accent'
                  : 'text-muted hover:bg-raised hover:text-text',
              )}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
