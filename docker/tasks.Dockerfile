# The browser image with tasks in it: `docker run --rm IMAGE taskwright run`.
ARG BASE
FROM ${BASE}
LABEL taskwright.image=tasks
COPY tasks /opt/taskwright/tasks
ENV TASKWRIGHT_TASKS=/opt/taskwright/tasks
