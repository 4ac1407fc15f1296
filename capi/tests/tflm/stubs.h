// The few types of TensorFlow Lite Micro that tflm_scatter_nd.cc needs, with the names and members
// that they have there. The test takes the place of the interpreter.
#ifndef STUBS_H
#define STUBS_H

#include <cstddef>
#include <cstdint>

enum TfLiteStatus { kTfLiteOk = 0, kTfLiteError = 1 };
enum TfLiteType {
  kTfLiteNoType = 0, kTfLiteFloat32 = 1, kTfLiteInt32 = 2, kTfLiteUInt8 = 3, kTfLiteInt64 = 4,
  kTfLiteBool = 6, kTfLiteInt16 = 7, kTfLiteInt8 = 9,
};
struct TfLiteIntArray { int size; int data[8]; };
union TfLitePtrUnion { void* data; char* raw; };
struct TfLiteTensor { TfLiteType type; TfLiteIntArray* dims; };
struct TfLiteEvalTensor { TfLitePtrUnion data; TfLiteIntArray* dims; TfLiteType type; };
struct TfLiteNode { void* user_data; void* builtin_data; };
struct TfLiteGatherParams { int axis; int batch_dims; };
struct TfLiteContext { void* (*AllocatePersistentBuffer)(TfLiteContext*, size_t); };
struct TFLMRegistration {
  void* (*init)(TfLiteContext*, const char*, size_t);
  TfLiteStatus (*prepare)(TfLiteContext*, TfLiteNode*);
  TfLiteStatus (*invoke)(TfLiteContext*, TfLiteNode*);
};
#define TF_LITE_ENSURE(context, condition) \
  do {                                     \
    (void)(context);                       \
    if (!(condition)) return kTfLiteError; \
  } while (0)

void MicroPrintf(const char* format, ...);

namespace tflite {
class MicroContext {
 public:
  TfLiteTensor* AllocateTempInputTensor(const TfLiteNode* node, int index);
  TfLiteTensor* AllocateTempOutputTensor(const TfLiteNode* node, int index);
  void DeallocateTempTfLiteTensor(TfLiteTensor* tensor);
};
MicroContext* GetMicroContext(const TfLiteContext* context);
namespace micro {
TFLMRegistration RegisterOp(void* (*init)(TfLiteContext*, const char*, size_t),
                            TfLiteStatus (*prepare)(TfLiteContext*, TfLiteNode*),
                            TfLiteStatus (*invoke)(TfLiteContext*, TfLiteNode*));
const TfLiteEvalTensor* GetEvalInput(const TfLiteContext* context, const TfLiteNode* node,
                                     int index);
TfLiteEvalTensor* GetEvalOutput(const TfLiteContext* context, const TfLiteNode* node, int index);
template <typename T>
T* GetTensorData(TfLiteEvalTensor* tensor) { return reinterpret_cast<T*>(tensor->data.raw); }
template <typename T>
const T* GetTensorData(const TfLiteEvalTensor* tensor) {
  return reinterpret_cast<const T*>(tensor->data.raw);
}
}  // namespace micro
}  // namespace tflite
#endif
