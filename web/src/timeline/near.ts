/** Whether an element is in sight, or nearly: what nobody can see need not be drawn. */
const MARGIN = '400px';

const hearers = new WeakMap<Element, (near: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** An attachment: `<div {@attach whenNear((near) => …)}>`. One observer serves all. */
export function whenNear(hear: (near: boolean) => void): (element: Element) => () => void {
  return (element) => {
    observer ??= new IntersectionObserver(tell, { rootMargin: `${MARGIN} 0px` });
    hearers.set(element, hear);
    observer.observe(element);
    return () => {
      observer?.unobserve(element);
      hearers.delete(element);
    };
  };
}

function tell(entries: IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) hearers.get(target)?.(isIntersecting);
}
