/** Tells elements whether they are near what can be seen. One observer serves all of them. */
import type { Attachment } from 'svelte/attachments';

/** So far away something is still near: a fast hand scrolls this far in a few frames. */
const MARGIN = '800px 0px';

const tells = new WeakMap<Element, (near: boolean) => void>();
const watch = new IntersectionObserver(
  (entries) => entries.forEach(({ target, isIntersecting }) => tells.get(target)?.(isIntersecting)),
  { rootMargin: MARGIN },
);

/** `{@attach near((is) => …)}`. What holds the focus stays near. */
export function near(tell: (near: boolean) => void): Attachment {
  return (element) => {
    tells.set(element, (is) => tell(is || element.contains(document.activeElement)));
    watch.observe(element);
    return () => watch.unobserve(element);
  };
}
