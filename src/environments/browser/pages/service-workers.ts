/// <reference lib="dom" />

/**
 * Runs in each page before its scripts: registering a service worker is refused at once, because one would answer requests
 * for pages, and outlive the page that the task shows. Playwright only ignores it, so that pages wait or fail elsewhere.
 */
export function refuseServiceWorkers(): void {
  const { serviceWorker } = navigator;
  // Only secure pages have it.
  if (serviceWorker === undefined) return;
  const register = async (): Promise<never> => {
    const message = 'Service workers are not available in tasks.';
    console.warn(message);
    throw new DOMException(message, 'NotSupportedError');
  };
  Object.defineProperty(serviceWorker, 'register', { value: register, configurable: true, writable: true });
}
